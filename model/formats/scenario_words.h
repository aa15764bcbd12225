#pragma once

#include "model/formats/words.h"
#include "model/scenario.h"

namespace steptwin {

// The words of the scenario file.

inline constexpr Words<OverlapMode, 3> kOverlapModes = {
    {{"none", OverlapMode::none}, {"b_f", OverlapMode::b_f}, {"f_b", OverlapMode::f_b}}};
inline constexpr Words<P2pMode, 5> kP2pModes = {{{"auto", P2pMode::automatic},
                                                 {"plain", P2pMode::plain},
                                                 {"batch", P2pMode::batch},
                                                 {"boundary", P2pMode::boundary},
                                                 {"multi_stream", P2pMode::multi_stream}}};
inline constexpr Words<RecvPlacement, 2> kRecvPlacements = {
    {{"early", RecvPlacement::early}, {"late", RecvPlacement::late}}};
inline constexpr Words<StageMapKind, 3> kStageMaps = {
    {{"auto", StageMapKind::automatic}, {"loop", StageMapKind::loop}, {"v", StageMapKind::v}}};
inline constexpr Words<OverlapExecution, 2> kOverlapExecutions = {
    {{"threads", OverlapExecution::threads}, {"sequential", OverlapExecution::sequential}}};
inline constexpr Words<CommOrder, 2> kCommOrders = {
    {{"stream", CommOrder::stream}, {"data", CommOrder::data}}};
inline constexpr Words<CommWait, 2> kCommWaits = {
    {{"on_use", CommWait::on_use}, {"at_launch", CommWait::at_launch}}};
inline constexpr Words<StreamPreset, 6> kStreamPresets = {
    {{"two", StreamPreset::two},
     {"per_group", StreamPreset::per_group},
     {"per_direction", StreamPreset::per_direction},
     {"multi_stream", StreamPreset::multi_stream},
     {"per_edge", StreamPreset::per_edge},
     {"unqueued", StreamPreset::unqueued}}};
inline constexpr Words<bool, 2> kHostThreads = {{{"free", false}, {"one", true}}};
inline constexpr Words<MachineKernels, 2> kMachineKernels = {
    {{"real", MachineKernels::real}, {"timed", MachineKernels::timed}}};
inline constexpr Words<LayerKind, 2> kLayerKinds = {
    {{"moe", LayerKind::moe}, {"dense", LayerKind::dense}}};

// The parts of a layer that [layers] launches can name.
inline constexpr Words<Part, 8> kLayerParts = {{{"attention", Part::attention},
                                                {"experts", Part::experts},
                                                {"mlp", Part::mlp},
                                                {"embedding", Part::embedding},
                                                {"head", Part::head},
                                                {"dispatch", Part::dispatch},
                                                {"combine", Part::combine},
                                                {"counts", Part::counts}}};

}  // namespace steptwin
