import { randomUUID } from 'node:crypto'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { type CorpusItem, item, X264 } from './corpus-item.ts'
import { callFfmpeg } from './media-cache.ts'

/** With pictures that are decoded in another order than they are shown in. */
const REORDERED = [...X264, '-bf', '3']
const MARKS_SEC = 0.73
/** How far the muxer of transport streams moves what it writes. */
const TS_BEGINS_SEC = 1.4
/** Sound begins so much before the picture: the encoder puts a unit in front. */
const UNIT_SEC = 1_024 / 48_000

/** Equivalents of what other programs and cameras write, and ffmpeg by itself does not. */
export const foreignCorpus: readonly CorpusItem[] = [
	item('foreign-flv', {
		container: 'flv',
		picture: { seconds: 1, encode: REORDERED, info: { clockSec: 0.08 } },
		sounds: [],
		finish: async (_, path) => writeFile(path, claimFrameRate(await readFile(path), 1_000)),
	}),
	item('foreign-avi-short', {
		container: 'avi',
		picture: { seconds: 1, encode: REORDERED, info: { reorderFrames: 2, isClosedGop: null } },
		sounds: [],
	}),
	item('foreign-avi', {
		container: 'avi',
		picture: { seconds: 10, encode: REORDERED, info: { reorderFrames: 2, isClosedGop: null } },
		sounds: [{ encode: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le' }],
	}),
	item('foreign-motion-photo', {
		container: 'mov',
		finish: (ffmpeg, path) =>
			remake(path, async (film) => {
				const stills = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x960:rate=1:duration=2']
				const both = ['-map', '0', '-map', '1:v', '-c:0', 'copy', '-c:1', 'copy', '-c:v:1', 'libx264']
				const isDefault = ['-disposition:v:0', 'default', '-disposition:v:1', 'default']
				await callFfmpeg(ffmpeg, ['-i', film, ...stills, ...both, ...isDefault, path])
			}),
	}),
	item('foreign-long-mdat', {
		output: ['-movflags', '+faststart'],
		finish: async (_, path) => writeFile(path, claimSamples(await readFile(path), 1_000_000)),
	}),
	item('foreign-early-marks', {
		container: 'ts',
		picture: { info: { clockSec: TS_BEGINS_SEC + MARKS_SEC, startSec: UNIT_SEC } },
		finish: (ffmpeg, path) =>
			remake(path, async (film) => {
				const marks = `${film}.bin`
				await writeFile(marks, 'splice')
				const late = ['-itsoffset', String(MARKS_SEC), '-i', film]
				await callFfmpeg(ffmpeg, [
					...late,
					'-f',
					'data',
					'-i',
					marks,
					'-map',
					'0',
					'-map',
					'1',
					'-c',
					'copy',
					path,
				])
				await rm(marks)
			}),
	}),
]

async function remake(path: string, make: (film: string) => Promise<void>): Promise<void> {
	const film = join(dirname(path), `film-${randomUUID()}${extname(path)}`)
	await copyFile(path, film)
	await make(film)
	await rm(film)
}

/** FLV says it in a script tag, as a number behind its name; some programs write the ticks in a second there. */
function claimFrameRate(flv: Buffer, fps: number): Buffer {
	const name = flv.indexOf('framerate', 0, 'latin1')
	flv.writeDoubleBE(fps, name + 'framerate'.length + 1)
	return flv
}

/** As writers do that reserve room for samples and never come back to the head. */
export function claimSamples(mp4: Buffer, bytes: number): Buffer {
	const mdat = mp4.lastIndexOf('mdat', undefined, 'latin1') - 4
	mp4.writeUInt32BE(mp4.readUInt32BE(mdat) + bytes, mdat)
	return mp4
}
