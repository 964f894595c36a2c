import { randomUUID } from 'node:crypto'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { type CorpusItem, item, X264 } from './corpus-item.ts'
import { callFfmpeg } from './media-cache.ts'

/** With frames whose decoding order differs from the presentation order. */
const REORDERED = [...X264, '-bf', '3']
const MARKERS_SEC = 0.73
/** The offset that ffmpeg's MPEG-TS muxer adds. */
const TS_OFFSET_SEC = 1.4
/** How much earlier audio starts than video: the encoder adds one frame at the start. */
const AUDIO_FRAME_SEC = 1_024 / 48_000

/** Files like those of other programs and cameras, which ffmpeg does not write by default. */
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
			remux(path, async (original) => {
				const stills = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x960:rate=1:duration=2']
				const both = ['-map', '0', '-map', '1:v', '-c:0', 'copy', '-c:1', 'copy', '-c:v:1', 'libx264']
				const isDefault = ['-disposition:v:0', 'default', '-disposition:v:1', 'default']
				await callFfmpeg(ffmpeg, ['-i', original, ...stills, ...both, ...isDefault, path])
			}),
	}),
	item('foreign-long-mdat', {
		output: ['-movflags', '+faststart'],
		finish: async (_, path) => writeFile(path, claimSamples(await readFile(path), 1_000_000)),
	}),
	item('foreign-early-marks', {
		container: 'ts',
		picture: { info: { clockSec: TS_OFFSET_SEC + MARKERS_SEC, startSec: AUDIO_FRAME_SEC } },
		finish: (ffmpeg, path) =>
			remux(path, async (original) => {
				const markers = `${original}.bin`
				await writeFile(markers, 'splice')
				const delayed = ['-itsoffset', String(MARKERS_SEC), '-i', original]
				await callFfmpeg(ffmpeg, [
					...delayed,
					'-f',
					'data',
					'-i',
					markers,
					'-map',
					'0',
					'-map',
					'1',
					'-c',
					'copy',
					path,
				])
				await rm(markers)
			}),
	}),
]

async function remux(path: string, make: (original: string) => Promise<void>): Promise<void> {
	const original = join(dirname(path), `film-${randomUUID()}${extname(path)}`)
	await copyFile(path, original)
	await make(original)
	await rm(original)
}

/** In FLV the frame rate is a number in a script tag; some programs write the timescale there. */
function claimFrameRate(flv: Buffer, fps: number): Buffer {
	const name = flv.indexOf('framerate', 0, 'latin1')
	flv.writeDoubleBE(fps, name + 'framerate'.length + 1)
	return flv
}

/** Like programs that reserve space for samples and never correct the size in the header. */
export function claimSamples(mp4: Buffer, bytes: number): Buffer {
	const mdat = mp4.lastIndexOf('mdat', undefined, 'latin1') - 4
	mp4.writeUInt32BE(mp4.readUInt32BE(mdat) + bytes, mdat)
	return mp4
}
