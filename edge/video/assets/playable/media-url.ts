import { buildUrl } from '../../../platform/network/header-values.ts'
import type { LinkContext } from '../view.ts'

/** Returns the URL of an object in the media bucket, a path below the API's base URL (edge/watch/playback/media.ts). */
export function mediaUrl({ base, token }: LinkContext, playbackId: string, key: string): string {
	const segments = key
		.split('/')
		.flatMap((segment) => (token && segment === playbackId ? [segment, `~${token}`] : [segment]))
	return buildUrl(base, segments)
}
