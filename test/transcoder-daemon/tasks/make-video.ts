import { join } from 'node:path'
import { execa } from 'execa'
import { encodeOnce } from '../../support/shared/media-cache.ts'
import { programs } from '../ffmpeg/programs.ts'

export async function ffmpeg(...args: readonly string[]): Promise<void> {
	await execa(programs.ffmpeg, ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args])
}

export type Recipe = {
	/** File name; its extension determines the container. */
	name: string
	rate?: string
	seconds?: number
	size?: string
	/** Extra arguments for the encoder, the muxer or the frames. */
	args?: readonly string[]
	sound?: boolean
}

/** Generates a moving test pattern and a tone. */
export async function makeVideo(dir: string, recipe: Recipe): Promise<string> {
	const { name, rate = '30', seconds = 3, size = '320x180', args = [], sound = true } = recipe
	const path = join(dir, name)
	const picture = `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`
	const encode = [
		...['-f', 'lavfi', '-i', picture],
		...(sound ? ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`] : []),
		...['-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...args],
	]
	await encodeOnce(programs.ffmpeg, encode, path)
	return path
}
