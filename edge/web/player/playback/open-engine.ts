import type { EngineOptions } from './engine.ts'
import type { Engine } from './engine-types.ts'

const HLS_TYPE = 'application/vnd.apple.mpegurl'

/** Loads the engine. Prefers Media Source Extensions, since browsers with native HLS fail on some streams. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
	if (!hasMediaSource() && options.media.canPlayType(HLS_TYPE) !== '')
		return (await import('./native-engine.ts')).createNativeEngine(options)
	return (await import('./engine.ts')).createEngine(options)
}

export const hasMediaSource = (): boolean => 'MediaSource' in window || 'ManagedMediaSource' in window
