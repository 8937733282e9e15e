# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and CPack install, and where. There are two components: `tools` (programs, manual, completions)
# and `library` (static libraries, headers, and what find_package and pkg-config read).
set(SPINNERET_TOOL_PREFIX "" CACHE STRING "Put before the names of installed tools, where one clashes")
# All folders are below the prefix, which may be another one at the time of installation.
foreach(folder BINDIR LIBDIR LIBEXECDIR INCLUDEDIR DATADIR MANDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    file(RELATIVE_PATH CMAKE_INSTALL_${folder} "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()

# spinneret_open_folders(COMPONENT FOLDER...): what is installed is for all users, even if root's umask, with which
# CMake makes folders, is 077 or 027. Existing folders stay as they are.
function(spinneret_open_folders component)
  list(TRANSFORM ARGN REPLACE ".+" "\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\\0\"" OUTPUT_VARIABLE folders)
  list(JOIN folders " " folders)
  install(CODE "execute_process(COMMAND sh -c [[umask 022 && exec mkdir -p -- \"$@\"]] sh ${folders} COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component})
endfunction()
# Below /usr Debian's zsh reads a folder of its own; below /usr/local it reads site-functions, as everywhere.
install(CODE "set(SPINNERET_ZSH site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX MATCHES \"(^|/)usr/*$\")
    set(SPINNERET_ZSH vendor-completions)
  endif()" COMPONENT tools)
spinneret_open_folders(library ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR}/cmake/spinneret
  ${CMAKE_INSTALL_INCLUDEDIR}/spinneret ${CMAKE_INSTALL_DATADIR}/doc/libspinneret-dev)
spinneret_open_folders(tools ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBEXECDIR}/spinneret
  ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man5 ${CMAKE_INSTALL_MANDIR}/man7
  ${CMAKE_INSTALL_DATADIR}/spinneret/manual ${CMAKE_INSTALL_DATADIR}/doc/spinneret/examples
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/zsh/\${SPINNERET_ZSH}
  ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# spinneret_install_module(NAME): is called by spinneret_module, whose ARG_ variables it reads.
macro(spinneret_install_module name)
  add_library(spinneret::${name} ALIAS spinneret_${name})
  set_target_properties(spinneret_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(spinneret_${name} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spinneret>)
  target_compile_features(spinneret_${name} INTERFACE cxx_std_20)
  install(TARGETS spinneret_${name} EXPORT spinneret COMPONENT library)
  # Code for the linker's optimiser fits this compiler's version only; the plain code beside it stays.
  install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug -R .gnu.lto_* -R .gnu.debuglto_*
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:spinneret_${name}>\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT library)
  list(TRANSFORM ARG_DEPS PREPEND "spinneret-" OUTPUT_VARIABLE requires)
  list(JOIN requires " " requires)
  list(JOIN ARG_PKGS " " packages)
  list(TRANSFORM ARG_LIBS PREPEND "-l" OUTPUT_VARIABLE libraries)
  list(JOIN libraries " " libraries)
  string(REPLACE "-lThreads::Threads" "-pthread" libraries "${libraries}")
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  file(CONFIGURE OUTPUT spinneret-${name}.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@up@
Name: spinneret-@name@
Description: Spinneret, module @name@ (static, C++20)
Version: @PROJECT_VERSION@
Requires: @requires@ @packages@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@/spinneret
Libs: -L${prefix}/@CMAKE_INSTALL_LIBDIR@ -lspinneret_@name@ @libraries@
]])
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spinneret-${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
  set_property(GLOBAL APPEND PROPERTY SPINNERET_MODULES ${name})
endmacro()

# The headers that another module or a tool includes, and those that these include. The others are internal to their
# module and are not installed.
function(spinneret_public_headers out)
  file(GLOB sources RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS lib/*/*.h lib/*/*.cc tools/*.h tools/*.cc)
  set(open "")
  foreach(source IN LISTS sources)
    file(STRINGS ${CMAKE_SOURCE_DIR}/${source} includes REGEX "^#include \"[a-z_]+/[a-z0-9_]+[.]h\"")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    set(of_${source} ${includes})
    get_filename_component(module ${source} DIRECTORY)
    get_filename_component(module ${module} NAME)
    list(FILTER includes EXCLUDE REGEX "^${module}/")
    list(APPEND open ${includes})
  endforeach()
  set(public "")
  while(open)
    list(REMOVE_DUPLICATES open)
    list(REMOVE_ITEM open ${public})
    list(APPEND public ${open})
    set(next "")
    foreach(header IN LISTS open)
      list(APPEND next ${of_lib/${header}})
    endforeach()
    set(open ${next})
  endwhile()
  list(SORT public)
  set(${out} ${public} PARENT_SCOPE)
endfunction()

function(spinneret_install_config)
  spinneret_public_headers(headers)
  foreach(header IN LISTS headers)
    get_filename_component(module ${header} DIRECTORY)
    list(APPEND modules ${CMAKE_INSTALL_INCLUDEDIR}/spinneret/${module})
  endforeach()
  list(REMOVE_DUPLICATES modules)
  spinneret_open_folders(library ${modules})
  foreach(header IN LISTS headers)
    get_filename_component(module ${header} DIRECTORY)
    install(FILES ${CMAKE_SOURCE_DIR}/lib/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spinneret/${module}
      COMPONENT library)
  endforeach()
  include(CMakePackageConfigHelpers)
  get_property(SPINNERET_MODULES GLOBAL PROPERTY SPINNERET_MODULES)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/spinneret)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/scripts/spinneret-config.cmake.in
    spinneret-config.cmake INSTALL_DESTINATION ${folder})
  # 0.x promises nothing from one minor version to the next.
  write_basic_package_version_file(spinneret-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/spinneret-config.cmake
    ${CMAKE_BINARY_DIR}/spinneret-config-version.cmake DESTINATION ${folder} COMPONENT library)
  install(EXPORT spinneret NAMESPACE spinneret:: FILE spinneret-targets.cmake DESTINATION ${folder}
    COMPONENT library)
endfunction()

# Programs, manual and completions have the prefix, which is settled at installation.
function(spinneret_install_tools)
  get_property(tools GLOBAL PROPERTY SPINNERET_TOOLS)
  install(CODE "
    if(NOT DEFINED SPINNERET_TOOL_PREFIX)
      set(SPINNERET_TOOL_PREFIX \"${SPINNERET_TOOL_PREFIX}\")
    endif()
    set(SPINNERET_INSTALL_TOOLS \"${tools}\")
    set(SPINNERET_INSTALL_SOURCE \"${CMAKE_SOURCE_DIR}\")
    set(SPINNERET_INSTALL_BUILT \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}\")
    set(SPINNERET_INSTALL_MANUAL \"${MANDOC}\")
    set(SPINNERET_INSTALL_STRIP \"${CMAKE_STRIP}\")
    set(SPINNERET_INSTALL_BIN \"${CMAKE_INSTALL_BINDIR}\")
    set(SPINNERET_INSTALL_LIBEXEC \"${CMAKE_INSTALL_LIBEXECDIR}\")
    set(SPINNERET_INSTALL_MAN \"${CMAKE_INSTALL_MANDIR}\")
    set(SPINNERET_INSTALL_DATA \"${CMAKE_INSTALL_DATADIR}\")" COMPONENT tools)
  install(SCRIPT ${CMAKE_SOURCE_DIR}/scripts/install-tools.cmake COMPONENT tools)
  install(PROGRAMS scripts/complete-from-help
    DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spinneret COMPONENT tools)
  install(FILES scripts/crawl-options.bash scripts/crawl-state.bash scripts/crawl-look.bash scripts/crawl-cluster.bash scripts/crawl-diff.bash
    DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spinneret COMPONENT tools)
  install(TARGETS demo-server DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/spinneret COMPONENT tools)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/spinneret)
  install(FILES README.md NEWS.md DEVIATIONS.md DESTINATION ${doc} COMPONENT tools)
  install(DIRECTORY tests/data/policy/ DESTINATION ${doc}/examples COMPONENT tools
    FILES_MATCHING PATTERN "*.policy")
endfunction()

function(spinneret_install)
  spinneret_install_config()
  spinneret_install_tools()
  include(${CMAKE_SOURCE_DIR}/scripts/package.cmake)
endfunction()
