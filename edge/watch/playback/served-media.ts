import type { PlayableRow } from '../../video/assets/store.ts'
import { parseSegmentPath } from './segment-path.ts'

type WatchedResponse = { response: Response; isSent: Promise<boolean> }

/**
 * Returns the same response, and whether the client takes its whole body; a client that leaves before does not. Both
 * streams are those of the runtime, which passes the bytes on without running a script.
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

/** A file of a video that the Worker serves, as a whole or in part. */
export type ServedMedia = {
	video: PlayableRow
	/** The path of the file in the folder of the video. */
	path: string
	/** The bytes that are sent, as a share of the file. */
	share: number
	/** Whether the client takes them all. Only known of segments of video. */
	isSent: Promise<boolean>
	request: Request
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Notes that a file is served. Must not delay the response, so longer work is deferred. */
		noteServedMedia(deps: Deps, served: ServedMedia): void
	}
}

/** Returns the response to a request for media, and what it serves; null if it serves nothing. */
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

/** Returns how much of a file a range such as `bytes 0-499/1000` has. */
function shareOf(contentRange: string): number {
	const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? []
	return size === undefined ? 0 : (Number(last) + 1 - Number(first)) / Number(size)
}
