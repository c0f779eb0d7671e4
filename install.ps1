# Installs CaseTrack for you alone, on Windows. It needs no administrator rights and no Python.
#
#   powershell -ExecutionPolicy Bypass -File install.ps1               install or update it
#   powershell -ExecutionPolicy Bypass -File install.ps1 -From FILE    from this wheel instead of the package index
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Uninstall    remove it; your documents and collections stay
#
# Steps:
#   1. Find uv, which installs Python programs, or fetch a copy into %LOCALAPPDATA%\CaseTrack\uv.
#   2. Let uv make an environment for CaseTrack and put the command `casetrack` into %USERPROFILE%\.local\bin.
#   3. Fetch the models for search by meaning and for reading scans (120 MB).
#   4. Add CaseTrack to your start menu.
# -NoModels and -NoDesktop leave out the last two. Run it again after an error: finished steps are kept.
[CmdletBinding()]
param(
    [string]$From,
    [switch]$NoModels,
    [switch]$NoDesktop,
    [switch]$Uninstall
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue' # the progress bar of Windows PowerShell makes downloads ten times slower

$UvVersion = '0.13.9'
$UvFrom = "https://github.com/astral-sh/uv/releases/download/$UvVersion/uv-installer.ps1"
if ($env:CASETRACK_UV_FROM) { $UvFrom = $env:CASETRACK_UV_FROM }
$Python = '3.11' # all libraries have wheels for it; uv fetches it if it is missing
$Own = Join-Path $env:LOCALAPPDATA 'CaseTrack\uv'

function Stop-With([string]$Problem, [string]$Step) {
    [Console]::Error.WriteLine("Error: $Problem")
    if ($Step) { [Console]::Error.WriteLine("  $Step") }
    exit 1
}

function Find-Uv {
    $found = Get-Command uv -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if ($found) { return $found.Source }
    $mine = Join-Path $Own 'uv.exe'
    if (Test-Path -LiteralPath $mine) { return $mine }
    return $null
}

function Install-Uv {
    Write-Host "Fetching uv $UvVersion ..."
    $script = Join-Path ([IO.Path]::GetTempPath()) "uv-installer-$PID.ps1"
    try {
        # Windows PowerShell 5 does not enable TLS 1.2 by default.
        [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
        Invoke-WebRequest -UseBasicParsing -Uri $UvFrom -OutFile $script
    }
    catch {
        Stop-With "uv could not be fetched from ${UvFrom}: $($_.Exception.Message)" 'Check the connection to the internet and run this again, or install uv yourself (https://docs.astral.sh/uv).'
    }
    # Into a folder of CaseTrack: the search path stays unchanged.
    $env:UV_UNMANAGED_INSTALL = $Own
    & powershell -NoProfile -ExecutionPolicy Bypass -File $script | Out-Null
    $ended = $LASTEXITCODE
    Remove-Item -LiteralPath $script -ErrorAction SilentlyContinue
    Remove-Item Env:UV_UNMANAGED_INSTALL
    if ($ended -ne 0) {
        Stop-With "uv could not be installed in $Own." 'Is there room on the disk, and may you write there?'
    }
}

$package = 'casetrack'
if ($From) {
    if (-not (Test-Path -LiteralPath $From)) {
        Stop-With "There is no file $From." 'Give the path of a wheel of CaseTrack.'
    }
    $package = (Resolve-Path -LiteralPath $From).ProviderPath
}

$uv = Find-Uv

if ($Uninstall) {
    if (-not $uv) {
        Write-Host 'CaseTrack was not installed by this script, so there is nothing to remove.'
        exit 0
    }
    $command = Join-Path (& $uv tool dir --bin) 'casetrack.exe'
    if (Test-Path -LiteralPath $command) {
        # AI programs and the start menu first, while the program is still installed.
        & $command uninstall --yes
        if ($LASTEXITCODE -ne 0) {
            Stop-With 'CaseTrack could not be removed from your programs.' 'Follow the instructions above and run this again.'
        }
        # On Windows a running program cannot remove itself.
        & $uv tool uninstall casetrack
        if ($LASTEXITCODE -ne 0) {
            Stop-With 'CaseTrack could not be removed.' 'Close its window and the AI programs that use it, and run this again.'
        }
    }
    # The cache of uv may also serve other programs, so it is removed only if the user agrees.
    $cache = & $uv cache dir
    if (Test-Path -LiteralPath $cache) {
        $bytes = (Get-ChildItem -LiteralPath $cache -Recurse -File | Measure-Object -Sum Length).Sum
        Write-Host ('The package cache in {0} remains ({1:N0} MB). Other programs may use it too.' -f $cache, ($bytes / 1MB))
        if (-not [Console]::IsInputRedirected -and (Read-Host 'Remove it? [y/N]') -match '^[yY]') { & $uv cache clean }
    }
    if (Test-Path -LiteralPath $Own) { Remove-Item -LiteralPath $Own -Recurse -Force }
    Write-Host 'CaseTrack is removed. Your documents and collections are unchanged.'
    exit 0
}

if (-not $uv) {
    Install-Uv
    $uv = Join-Path $Own 'uv.exe'
}

Write-Host 'Installing CaseTrack ...'
# The two packages read 7-Zip archives and mailboxes of Outlook. The same line updates an installation. A wheel may have the same version and other content.
& $uv tool install --quiet --upgrade --reinstall-package casetrack --with py7zr --with libpff-python --python $Python $package
if ($LASTEXITCODE -ne 0) {
    Stop-With 'CaseTrack could not be installed.' 'The messages of uv above state the reason; an open window must be closed first. Correct it and run this again: fetched files are kept.'
}
$bin = & $uv tool dir --bin
$command = Join-Path $bin 'casetrack.exe'

if (-not $NoModels) {
    & $command models pull
    if ($LASTEXITCODE -ne 0) {
        Write-Host 'The models are incomplete. CaseTrack works without them, by keywords only; run "casetrack models pull" to go on.'
    }
}
if (-not $NoDesktop) {
    & $command setup desktop
    if ($LASTEXITCODE -ne 0) { Write-Host 'CaseTrack is not in your start menu. To open it, run: casetrack browse --app' }
}

Write-Host "$(& $command --version) is installed."
if (($env:PATH -split ';') -contains $bin) {
    Write-Host 'Open it from the start menu, or with: casetrack browse'
}
else {
    Write-Host "Open it from the start menu, or with: $command browse (for ""casetrack"" alone run once: $uv tool update-shell)"
}
