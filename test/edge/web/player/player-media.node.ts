import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import { strip } from '../../../support/shared/frame-numbers.ts'
import { callFfmpeg } from '../../../support/shared/media-cache.ts'
import { oncePerRun } from '../../../support/shared/once-per-run.ts'
import { presentByDaemon } from '../../video/transcoding/presentation/daemon-presentation.node.ts'

export const SECONDS = 16
/** The frame rate of the film. Low, as drawing frames is most of the work of playing. */
export const FILM_FPS = 10
/** The frame rate of the film with numbers. */
export const FPS = 25

/** Files of a presentation by their paths below the folder of the master playlist. */
export type Presentation = ReadonlyMap<string, Uint8Array>

/**
 * Makes a video as the product does: a picture that moves slowly, and a tone in two audio tracks. Neighboring frames look
 * alike, and frames a second apart do not. Made once for all files of a test run.
 */
export const makeFilm = (ffmpeg: string, codecs: readonly VideoCodec[] = ['h264']): Promise<Presentation> =>
	present(ffmpeg, `player-film-${codecs.join('-')}`, sourceArgs, codecs)

/** Makes a silent video in which each frame shows its number. */
export const makeNumberedFilm = (ffmpeg: string): Promise<Presentation> =>
	present(ffmpeg, 'player-numbered-film', numberedArgs, ['h264'])

async function present(
	ffmpeg: string,
	title: string,
	args: readonly string[],
	codecs: readonly VideoCodec[],
): Promise<Presentation> {
	const folder = await oncePerRun(title, async (path) => {
		const work = await mkdtemp(join(tmpdir(), 'playhouse-film-'))
		try {
			const source = join(work, 'source.mp4')
			await callFfmpeg(ffmpeg, [...args, source])
			for (const [name, bytes] of await presentByDaemon(source, work, codecs)) {
				await mkdir(dirname(join(path, name)), { recursive: true })
				await writeFile(join(path, name), bytes)
			}
		} finally {
			await rm(work, { recursive: true, force: true })
		}
	})
	const names = await readdir(folder, { recursive: true, withFileTypes: true })
	const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
	return new Map(
		await Promise.all(
			files.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
		),
	)
}

const sourceArgs = [
	...['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=${FILM_FPS}:duration=${SECONDS}`],
	...['-f', 'lavfi', '-i', `sine=r=48000:f=440:d=${SECONDS}`],
	...['-f', 'lavfi', '-i', `sine=r=48000:f=880:d=${SECONDS}`],
	...[
		'-map',
		'0',
		'-map',
		'1',
		'-map',
		'2',
		'-metadata:s:a:0',
		'language=eng',
		'-metadata:s:a:1',
		'language=deu',
	],
	...['-vf', 'loop=-1:1,gblur=2,scroll=h=0.002', '-t', String(SECONDS)],
	...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '22', '-g', String(FILM_FPS * 2)],
	...['-pix_fmt', 'yuv420p'],
	...['-c:a', 'aac', '-b:a', '96k'],
]

const numberedArgs = [
	...['-f', 'lavfi', '-i', `color=gray:size=320x180:rate=${FPS}:duration=${SECONDS}`],
	...['-vf', strip.join(','), '-c:v', 'libx264', '-preset', 'ultrafast', '-g', String(FPS * 2)],
	...['-pix_fmt', 'yuv420p'],
]

const CAPTIONS = `WEBVTT

00:00:00.000 --> 00:00:05.000
First <i>caption</i> &amp; more

00:00:05.000 --> 00:00:16.000
Second caption
on two lines
`

/** Adds captions in two languages to a presentation, with markup that the product does not write. */
export function withCaptions(film: Presentation): Presentation {
	const text = (name: string) => Buffer.from(film.get(name) ?? '').toString()
	const track = (name: string, language: string) =>
		`#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="${name}",LANGUAGE="${language}",AUTOSELECT=YES,DEFAULT=NO,URI="captions.m3u8"`
	const [head = '', ...variants] = text('master.m3u8').split(/(?=#EXT-X-STREAM-INF:)/)
	const master = [
		`${head}${track('English', 'en')}\n${track('Deutsch', 'de')}\n`,
		...variants.map((variant) =>
			variant.replace('#EXT-X-STREAM-INF:', '#EXT-X-STREAM-INF:SUBTITLES="captions",'),
		),
	].join('')
	const playlist = `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:${SECONDS}\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:${SECONDS},\ncaptions.vtt\n#EXT-X-ENDLIST\n`
	return new Map([
		...film,
		['master.m3u8', Buffer.from(master)],
		['captions.m3u8', Buffer.from(playlist)],
		['captions.vtt', Buffer.from(CAPTIONS)],
	])
}
