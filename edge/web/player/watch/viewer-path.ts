import type { Player } from '../player.ts'

/** Returns the path of an operation for viewers of this video, with its token. */
export function buildViewerPath(
	player: Player,
	operation: string,
	query: Record<string, string> = {},
): string {
	const token = player.token()
	const search = new URLSearchParams({ ...query, ...(token && { token }) })
	return `/v1/playback/${player.video.playbackId}/${operation}${search.size > 0 ? `?${search}` : ''}`
}
