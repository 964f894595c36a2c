import { buildUrl } from '../../../platform/network/header-values.ts'

type Parameters = Record<string, string>

/** `base` is the base URL of the pages with the player. */
export const buildWatchUrl = (base: string, playbackId: string, parameters: Parameters = {}): string =>
	buildUrl(base, ['watch', playbackId], parameters)

export const buildEmbedUrl = (base: string, playbackId: string, parameters: Parameters = {}): string =>
	buildUrl(base, ['embed', playbackId], parameters)
