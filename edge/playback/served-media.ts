import type { PlayableRow } from '../assets/store.ts'

/** A file of a video that the Worker serves, as a whole or in part. */
export type ServedMedia = {
	video: PlayableRow
	/** The path of the file in the folder of the video. */
	path: string
	status: 200 | 206
	/** How much is sent; null if that is not known before, as with compressed text. */
	bytes: number | null
	/** The first byte that is sent. */
	offset: number
	request: Request
}

declare module '../platform/deps.ts' {
	interface Contributions {
		/** Notes that a file is served. Must not delay the response, so longer work is deferred. */
		noteServedMedia(deps: Deps, served: ServedMedia): void
	}
}

/** Returns what a response to a request for media serves; null if it serves nothing. */
export function servedBy(
	request: Request,
	{ status, headers }: Response,
	video: PlayableRow,
	path: string,
): ServedMedia | null {
	if (request.method !== 'GET' || (status !== 200 && status !== 206)) return null
	const length = headers.get('content-length')
	const offset = Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? 0)
	return { video, path, status, bytes: length === null ? null : Number(length), offset, request }
}
