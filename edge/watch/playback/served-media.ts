import type { PlayableRow } from '../../video/assets/store.ts'
import { parseSegmentPath } from './segment-path.ts'

type WatchedResponse = { response: Response; isSent: Promise<boolean> }

/**
 * Returns the response, and whether the client reads the whole body. Both streams belong to the runtime, which
 * forwards bytes without scripts.
 */
function watchBody(response: Response): WatchedResponse {
	const length = response.headers.get('content-length')
	if (response.body === null || length === null) return { response, isSent: Promise.resolve(true) }
	const { readable, writable } = new FixedLengthStream(Number(length))
	const isSent = response.body.pipeTo(writable).then(
		() => true,
		() => false,
	)
	return { response: new Response(readable, response), isSent }
}

/** A file of a video served by the Worker, in whole or in part. */
export type ServedMedia = {
	video: PlayableRow
	/** The path of the file in the folder of the video. */
	path: string
	/** The share of the file's bytes in the response. */
	share: number
	/** Whether the client reads all of them. Known only for video segments. */
	isSent: Promise<boolean>
	request: Request
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Records a served file. Must not delay the response, so longer work is deferred. */
		noteServedMedia(deps: Deps, served: ServedMedia): void
	}
}

/** Returns a media response and what it serves; null if that is nothing. */
export function watchServed(
	request: Request,
	response: Response,
	video: PlayableRow,
	path: string,
): { response: Response; served: ServedMedia | null } {
	const { status, headers } = response
	if (request.method !== 'GET' || (status !== 200 && status !== 206)) return { response, served: null }
	const share = status === 200 ? 1 : shareOf(headers.get('content-range') ?? '')
	const isVideo = Boolean(parseSegmentPath(path)?.quality)
	const watched = isVideo ? watchBody(response) : { response, isSent: Promise.resolve(true) }
	return { response: watched.response, served: { video, path, share, isSent: watched.isSent, request } }
}

/** Returns the share of a file in a range such as `bytes 0-499/1000`. */
function shareOf(contentRange: string): number {
	const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? []
	return size === undefined ? 0 : (Number(last) + 1 - Number(first)) / Number(size)
}
