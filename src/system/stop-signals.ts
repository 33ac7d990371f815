/**
 * What ends the program in good order. On Windows a closed console window and Ctrl+Break come as signals of their own;
 * elsewhere SIGHUP keeps its meaning, which `nohup` relies on.
 */
export function listStopSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']
}
