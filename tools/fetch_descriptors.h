// SPDX-License-Identifier: Apache-2.0
// fetch's file descriptors: raises the limit as far as allowed, and lowers what was asked for to what fits.
#ifndef SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_
#define SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_

#include "cli/options.h"
#include "fetch_settings.h"

namespace spinneret {

// Says in `out.notice` where there are fewer transfers than were asked for; too few descriptors are a usage error.
void fit_descriptors(const cli::Options& options, FetchSettings& out);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_
