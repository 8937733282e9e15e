# SPDX-License-Identifier: Apache-2.0
# Installs the tools, the driver, the manual and the completions, all under names that begin with SPINNERET_TOOL_PREFIX.
# cmake --install runs this after those lines of scripts/install.cmake that set the variables it reads. Another prefix
# needs no new build:
#
#   cmake -DCMAKE_INSTALL_PREFIX=/usr/local -DSPINNERET_TOOL_PREFIX=spin- -P build/cmake_install.cmake
string(RANDOM LENGTH 12 stage)
set(stage "${SPINNERET_INSTALL_BUILT}/../stage-${stage}")
set(prefix "${SPINNERET_TOOL_PREFIX}")
file(MAKE_DIRECTORY "${stage}/bin" "${stage}/bash" "${stage}/zsh" "${stage}/fish")

# prefixed(FROM TO): copies a page, in which commands are called by their installed names.
function(prefixed from to)
  execute_process(COMMAND "${SPINNERET_INSTALL_SOURCE}/scripts/prefix-names" "${prefix}" crawl ${SPINNERET_INSTALL_TOOLS}
    INPUT_FILE "${from}" OUTPUT_FILE "${to}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(tool IN LISTS SPINNERET_INSTALL_TOOLS)
  set(program "${stage}/bin/${prefix}${tool}")
  configure_file("${SPINNERET_INSTALL_BUILT}/${tool}" "${program}" COPYONLY)
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND "${SPINNERET_INSTALL_STRIP}" --remove-section=.comment --remove-section=.note "${program}"
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  foreach(script bash/${prefix}${tool} zsh/_${prefix}${tool} fish/${prefix}${tool}.fish)
    get_filename_component(shell ${script} DIRECTORY)
    execute_process(COMMAND "${program}" --completions ${shell} OUTPUT_FILE "${stage}/${script}"
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
# Both scripts find their parts relative to themselves, whatever folders were chosen.
file(RELATIVE_PATH parts "/${SPINNERET_INSTALL_BIN}" "/${SPINNERET_INSTALL_LIBEXEC}/spinneret")
file(READ "${SPINNERET_INSTALL_SOURCE}/scripts/crawl" driver)
string(REPLACE "\nprefix=''\n" "\nprefix='${prefix}'\n" driver "${driver}")
string(REPLACE "parts=$root/libexec/spinneret\n" "parts=$here/${parts}\n" driver "${driver}")
file(WRITE "${stage}/bin/${prefix}crawl" "${driver}")
file(RELATIVE_PATH manual "/${SPINNERET_INSTALL_LIBEXEC}/spinneret" "/${SPINNERET_INSTALL_DATA}/spinneret/manual")
file(READ "${SPINNERET_INSTALL_SOURCE}/scripts/demo" demo)
string(REPLACE "$here/../../share/spinneret/manual" "$here/${manual}" demo "${demo}")
file(WRITE "${stage}/libexec/demo" "${demo}")

# The tools are asked for the values of their options as they were built, under their own names.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "SPINNERET_BIN=${SPINNERET_INSTALL_BUILT}"
    "${SPINNERET_INSTALL_SOURCE}/scripts/crawl" --completions=values
  OUTPUT_VARIABLE values COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${SPINNERET_INSTALL_SOURCE}/scripts/crawl" --help=all
  OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${stage}/crawl-options" "${help}${values}")
foreach(script bash/${prefix}crawl zsh/_${prefix}crawl fish/${prefix}crawl.fish)
  get_filename_component(shell ${script} DIRECTORY)
  execute_process(COMMAND "${SPINNERET_INSTALL_SOURCE}/scripts/complete-from-help" ${prefix}crawl ${shell}
    INPUT_FILE "${stage}/crawl-options" OUTPUT_FILE "${stage}/${script}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

foreach(section 1 5 7)
  file(MAKE_DIRECTORY "${stage}/man${section}")
  file(GLOB pages "${SPINNERET_INSTALL_SOURCE}/man/*.${section}")
  foreach(page IN LISTS pages)
    get_filename_component(page_name "${page}" NAME)
    if(section EQUAL 1)
      set(page_name "${prefix}${page_name}")
    endif()
    prefixed("${page}" "${stage}/man${section}/${page_name}")
  endforeach()
endforeach()

if(SPINNERET_INSTALL_MANUAL)
  execute_process(COMMAND "${SPINNERET_INSTALL_SOURCE}/scripts/manual-html" "${stage}" "${stage}/html"
    COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(section 1 5 7)
  file(GLOB pages "${stage}/man${section}/*")
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

function(put type from to)
  file(GLOB files "${stage}/${from}/*")
  file(INSTALL ${files} TYPE ${type} DESTINATION "${CMAKE_INSTALL_PREFIX}/${to}")
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} PARENT_SCOPE)
endfunction()
put(PROGRAM bin "${SPINNERET_INSTALL_BIN}")
put(PROGRAM libexec "${SPINNERET_INSTALL_LIBEXEC}/spinneret")
put(FILE html "${SPINNERET_INSTALL_DATA}/spinneret/manual")
put(FILE bash "${SPINNERET_INSTALL_DATA}/bash-completion/completions")
put(FILE zsh "${SPINNERET_INSTALL_DATA}/zsh/${SPINNERET_ZSH}")
put(FILE fish "${SPINNERET_INSTALL_DATA}/fish/vendor_completions.d")
foreach(section 1 5 7)
  put(FILE man${section} "${SPINNERET_INSTALL_MAN}/man${section}")
endforeach()
file(REMOVE_RECURSE "${stage}")
