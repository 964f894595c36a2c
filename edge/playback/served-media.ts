import type { PlayableRow } from '../assets/store.ts'

/** A file of a video that the Worker serves, as a whole or in part. */
export type ServedMedia = {
	video: PlayableRow
	/** The path of the file in the folder of the video. */
	path: string
	/** The bytes that are sent, as a share of the file. */
	share: number
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
	return { video, path, share: status === 200 ? 1 : shareOf(headers.get('content-range') ?? ''), request }
}

/** Returns how much of a file a range such as `bytes 0-499/1000` has. */
function shareOf(contentRange: string): number {
	const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? []
	return size === undefined ? 0 : (Number(last) + 1 - Number(first)) / Number(size)
}
