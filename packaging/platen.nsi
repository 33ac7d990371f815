; The setup for Windows: for one user, without administrator; /S asks nothing. Made on Linux by makensis (packaging/setup.sh).
;   defines: FAST (optional), VERSION, FOLDER (platen.exe, platenw.exe, platen.ico, LICENSE.txt), OUT
Target amd64-unicode
Unicode true
ManifestDPIAware true
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
Name "platen"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\platen"
!ifdef FAST ; for tests: minutes less
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
  SetCompressorDictSize 128 ; both executables are nearly the same bytes, 96 MB apart
!endif
SetDateSave off ; two runs make the same file
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "platen"
VIAddVersionKey FileDescription "platen label print server, setup"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT license"
!define MUI_ICON "${FOLDER}/platen.ico"
!define MUI_UNICON "${FOLDER}/platen.ico"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!define UN "Software\Microsoft\Windows\CurrentVersion\Uninstall\platen"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"

; Stops the server that runs, so that its files can be replaced: a label in hand is finished.
!macro Stop
  ${If} ${FileExists} "$INSTDIR\platen.exe"
    nsExec::Exec '"$INSTDIR\platen.exe" stop'
    Pop $0
  ${EndIf}
!macroend

Section
  !insertmacro Stop
  SetOutPath $INSTDIR
  File "${FOLDER}/platen.exe"
  File "${FOLDER}/platenw.exe"
  File "${FOLDER}/LICENSE.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$SMPROGRAMS\platen"
  CreateShortcut "$SMPROGRAMS\platen\platen.lnk" "$INSTDIR\platenw.exe"
  CreateShortcut "$SMPROGRAMS\platen\Stop platen.lnk" "$INSTDIR\platen.exe" "stop" "$INSTDIR\platenw.exe" 0 SW_SHOWMINIMIZED
  WriteRegStr HKCU "${RUN}" "platen" '"$INSTDIR\platenw.exe" --no-browser'
  WriteRegStr HKCU "${UN}" DisplayName "platen label print server"
  WriteRegStr HKCU "${UN}" DisplayVersion "${VERSION}"
  WriteRegStr HKCU "${UN}" DisplayIcon "$INSTDIR\platenw.exe"
  WriteRegStr HKCU "${UN}" UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UN}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UN}" NoModify 1
  WriteRegDWORD HKCU "${UN}" NoRepair 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UN}" EstimatedSize $0
  ; Silent: nobody looks, so no page either.
  ${If} ${Silent}
    Exec '"$INSTDIR\platenw.exe" --no-browser'
  ${Else}
    Exec '"$INSTDIR\platenw.exe"'
  ${EndIf}
SectionEnd

Section Uninstall
  !insertmacro Stop
  Delete "$INSTDIR\platen.exe"
  Delete "$INSTDIR\platenw.exe"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  RMDir /r "$SMPROGRAMS\platen"
  DeleteRegValue HKCU "${RUN}" "platen"
  DeleteRegKey HKCU "${UN}"
  RMDir /r "$LOCALAPPDATA\platen\program"
  ; /SD: silent means keep.
  MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Delete the settings and the labels too?$\n$\nLabels that have not printed yet are lost then." /SD IDNO IDNO keep
    RMDir /r "$LOCALAPPDATA\platen"
    RMDir /r "$APPDATA\platen"
  keep:
SectionEnd
