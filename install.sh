#!/bin/sh
# Installs CaseTrack for you alone, on Linux or macOS. It needs no administrator rights and no Python.
#
#   sh install.sh                 install or update it
#   sh install.sh --from FILE     from this wheel instead of the package index
#   sh install.sh --uninstall     remove it; your documents and collections stay
#
# Steps:
#   1. Find uv, which installs Python programs, or fetch a copy into ~/.local/share/casetrack.
#   2. Let uv make an environment for CaseTrack and put the command `casetrack` into ~/.local/bin.
#   3. Fetch the models for search by meaning and for reading scans (120 MB).
#   4. Add CaseTrack to the menu of your desktop.
# --no-models and --no-desktop leave out the last two. Run it again after an error: finished
# steps are kept.
set -eu

UV_VERSION=0.13.9
UV_FROM=${CASETRACK_UV_FROM:-https://github.com/astral-sh/uv/releases/download/$UV_VERSION/uv-installer.sh}
PYTHON=3.11 # all libraries have wheels for it; uv fetches it if it is missing
OWN=${XDG_DATA_HOME:-$HOME/.local/share}/casetrack/uv

say() { printf '%s\n' "$*"; }
fail() {
  printf 'Error: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
  exit 1
}

package=casetrack
models=yes
desktop=yes
action=install
while [ $# -gt 0 ]; do
  case $1 in
    --from)
      [ $# -gt 1 ] || fail "--from needs a wheel." "Example: sh install.sh --from casetrack-0.1.0-py3-none-any.whl"
      package=$2
      [ -e "$package" ] || fail "There is no file $package." "Give the path of a wheel of CaseTrack."
      shift
      ;;
    --no-models) models=no ;;
    --no-desktop) desktop=no ;;
    --uninstall) action=uninstall ;;
    -h | --help)
      sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "Unknown option: $1." "sh install.sh --help lists all." ;;
  esac
  shift
done

find_uv() {
  if command -v uv >/dev/null 2>&1; then
    command -v uv
  elif [ -x "$OWN/uv" ]; then
    printf '%s\n' "$OWN/uv"
  fi
}

fetch_uv() {
  say "Fetching uv $UV_VERSION ..."
  script=$(mktemp)
  if command -v curl >/dev/null 2>&1; then
    curl --proto '=https,file' -LsSf "$UV_FROM" -o "$script"
  elif command -v wget >/dev/null 2>&1; then
    wget -qO "$script" "$UV_FROM"
  else
    rm -f "$script"
    fail "Neither curl nor wget is here to fetch uv with." "Install one of them, or uv itself (https://docs.astral.sh/uv), and run this again."
  fi || {
    rm -f "$script"
    fail "uv could not be fetched from $UV_FROM." "Check the connection to the internet and run this again, or install uv yourself (https://docs.astral.sh/uv)."
  }
  # Into a folder of CaseTrack: the search path and the settings of your shell stay unchanged.
  UV_UNMANAGED_INSTALL=$OWN sh "$script" >/dev/null || {
    rm -f "$script"
    fail "uv could not be installed in $OWN." "Is there room on the disk, and may you write there?"
  }
  rm -f "$script"
}

# The cache of uv may also serve other programs, so it is removed only if the user agrees.
offer_cache() {
  cache=$("$uv" cache dir)
  [ -d "$cache" ] || return 0
  say "The package cache in $cache remains ($(du -sh "$cache" | cut -f1)). Other programs may use it too."
  [ -t 0 ] || return 0
  printf 'Remove it? [y/N] '
  read -r answer || return 0
  case $answer in [yY]*) "$uv" cache clean ;; esac
}

uv=$(find_uv)

if [ "$action" = uninstall ]; then
  if [ -z "$uv" ]; then
    say "CaseTrack was not installed by this script, so there is nothing to remove."
    exit 0
  fi
  command="$("$uv" tool dir --bin)/casetrack"
  # AI programs and the menu first, while the program is still installed.
  [ ! -x "$command" ] || PATH="$(dirname "$uv"):$PATH" "$command" uninstall --yes ||
    fail "CaseTrack could not be removed from your programs." "Follow the instructions above and run this again."
  # On some systems a program cannot remove itself; then it is still installed.
  [ ! -x "$command" ] || "$uv" tool uninstall casetrack
  offer_cache
  rm -rf "$OWN"
  say "CaseTrack is removed. Your documents and collections are unchanged."
  exit 0
fi

if [ -z "$uv" ]; then
  fetch_uv
  uv=$OWN/uv
fi

say "Installing CaseTrack ..."
# The two packages read 7-Zip archives and mailboxes of Outlook. The same line updates an installation. A wheel may have the same version and other content.
"$uv" tool install --quiet --upgrade --reinstall-package casetrack --with py7zr --with libpff-python --python "$PYTHON" "$package" ||
  fail "CaseTrack could not be installed." "The messages of uv above state the reason. Correct it and run this again: fetched files are kept."
bin=$("$uv" tool dir --bin)
command=$bin/casetrack

if [ "$models" = yes ]; then
  "$command" models pull ||
    say "The models are incomplete. CaseTrack works without them, by keywords only; run \`casetrack models pull\` to go on."
fi
if [ "$desktop" = yes ]; then
  "$command" setup desktop || say "CaseTrack is not in your menu. To open it, run: casetrack browse --app"
fi

say "$("$command" --version) is installed."
case :$PATH: in
  *:"$bin":*) say "Open it from the menu of your desktop, or with: casetrack browse" ;;
  *) say "Open it from the menu of your desktop, or with: $command browse (for \`casetrack\` alone run once: $uv tool update-shell)" ;;
esac
