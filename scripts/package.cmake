# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder writes two Debian packages: spinneret (the tools) and libspinneret-dev. The same tree
# gives the same bytes, in whatever folder, locale and time zone it is built and under whatever umask: all times are
# SOURCE_DATE_EPOCH, or that of the changelog's last entry. (Only the outermost headers, those of the .deb's three
# members, depend on the umask; scripts/setup sets one.)
set(SPINNERET_MAINTAINER "Spinneret maintainers <maintainers@spinneret.example>" CACHE STRING
    "Name and mail address in packages and their changelog: set it to your own for those you give away")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spinneret)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "crawler policy and URL-processing toolkit of Unix filters")
set(CPACK_PACKAGE_CONTACT "${SPINNERET_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/package-epoch.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_BINARY_DIR}/package-folders.cmake)
set(CPACK_COMPONENTS_ALL tools library)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME spinneret)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION web)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "brotli, jq, parallel, sqlite3, zstd")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Twelve small programs that read URLs, do one job and write lines: normalise,
filter, check robots.txt, fetch, extract links, items and text, find
dead links, drop duplicates, schedule.
Each is useful alone in a shell script; the driver crawl(1) makes them a polite
crawler that loses nothing when it is killed.")

# The other libraries that programs link with our modules, and the program with which find_package finds them.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libspinneret-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libbrotli-dev, libc-ares-dev, libcurl4-openssl-dev | \
libcurl4-gnutls-dev, libhiredis-dev, libpq-dev, libpsl-dev, librdkafka-dev, libre2-dev, librocksdb-dev, libssl-dev, libzstd-dev, pkgconf | pkg-config, zlib1g-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Static libraries and headers of what the tools of spinneret are made of: URLs
as browsers parse them, robots.txt, HTML links, sitemaps, fetching, seen-sets
and a frontier. For CMake (find_package) and pkg-config.")

configure_file(${CMAKE_SOURCE_DIR}/scripts/debian/changelog ${CMAKE_BINARY_DIR}/changelog @ONLY)
file(STRINGS ${CMAKE_BINARY_DIR}/changelog signature LIMIT_COUNT 1 REGEX "^ -- ")
string(REGEX REPLACE "^.*>  " "" changed "${signature}")
execute_process(COMMAND date -u +%s -d "${changed}" OUTPUT_VARIABLE epoch
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${CMAKE_BINARY_DIR}/package-epoch.cmake
  "if(\"\$ENV{SOURCE_DATE_EPOCH}\" STREQUAL \"\")\n  set(ENV{SOURCE_DATE_EPOCH} ${epoch})\nendif()\n")
# These are the folders as staged; CPack's own setting for folders is subject to the umask.
file(WRITE ${CMAKE_BINARY_DIR}/package-folders.cmake [[
file(CHMOD_RECURSE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
]])

execute_process(COMMAND gzip -9nc ${CMAKE_BINARY_DIR}/changelog
  OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(component tools library)
  string(TOUPPER ${component} upper)
  install(FILES ${CMAKE_BINARY_DIR}/changelog.gz ${CMAKE_SOURCE_DIR}/scripts/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
    COMPONENT ${component})
endforeach()
include(CPack)
