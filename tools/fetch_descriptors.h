// SPDX-License-Identifier: Apache-2.0
// Raises the limit of fetch's file descriptors as far as allowed, and lowers the number of
// transfers and connections to what fits.
#ifndef SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_
#define SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_

#include "cli/options.h"
#include "fetch_settings.h"

namespace spinneret {

// Says in `out.notice` where transfers are fewer than asked for; too few descriptors are a usage
// error.
void fit_descriptors(const cli::Options& options, FetchSettings& out);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_DESCRIPTORS_H_
