import { MAX_PIXELS } from '#schema/contract/media-info.ts'

/**
 * Containers that are taken, by the names of ffmpeg's demuxers. No playlist, script or list of pictures is among them:
 * those name other files and addresses, and ffmpeg would go and read them, whatever the file is called.
 */
const CONTAINERS = [
	'mov',
	'matroska',
	'webm',
	'mpegts',
	'mpeg',
	'avi',
	'flv',
	'asf',
	'mp3',
	'aac',
	'ogg',
	'wav',
	'flac',
] as const

export const MAX_STREAMS = 64

/**
 * Of a container without an index ffmpeg shifts the times to begin with the first of those streams that it is told to
 * use. Pictures and sound that are read apart would lose each other; so the times are left as the container has them.
 */
export const clockArgs = ({ clockSec }: { clockSec: number | null }): string[] =>
	clockSec === null ? [] : ['-copyts']

/** How a source is opened, by every program that does: as a file, of a container we take, and no larger than sane. */
export const inputArgs = (path: string): string[] => [
	...['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS.join(',')],
	...['-max_streams', String(MAX_STREAMS), '-max_pixels', String(MAX_PIXELS)],
	// The prefix keeps a name from being taken for another protocol.
	...['-i', `file:${path}`],
]
