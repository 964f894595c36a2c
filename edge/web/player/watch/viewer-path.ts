import type { Player } from '../player.ts'

/** Returns the path of an operation for viewers of this video, with the token of the page. */
export function openPath({ video }: Player, operation: string, query: Record<string, string> = {}): string {
	const token = new URLSearchParams(location.search).get('token')
	const search = new URLSearchParams({ ...query, ...(token && { token }) })
	return `/v1/playback/${video.playbackId}/${operation}${search.size > 0 ? `?${search}` : ''}`
}
