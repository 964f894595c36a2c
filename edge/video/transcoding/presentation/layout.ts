import { formatInitName, formatSegmentName } from '#schema/contract/video/tasks.ts'

// Where the files of a presentation are in the folder of its job: `{stream}.m3u8`, `{task}-{epoch}/{stream}/{n}.m4s`.

/** Returns the name of the playlist of a rung or an audio track. */
export const playlistName = (stream: string): string => `${stream}.m3u8`

/** `folder` is that of a task, since one stream may come from several. */
export const initUri = (folder: string, stream: string): string => `${folder}/${formatInitName(stream)}`
export const segmentUri = (folder: string, stream: string, number: number): string =>
	`${folder}/${formatSegmentName(stream, number)}`

/** Returns the path of the playlist that lists the segment at a path. */
export function findSegmentPlaylist(path: string): string {
	const names = path.split('/')
	return [...names.slice(0, -3), playlistName(names.at(-2) ?? '')].join('/')
}
