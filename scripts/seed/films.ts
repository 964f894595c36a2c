import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { ffmpegMissing, provideFfmpeg } from '../lib/ffmpeg.ts'
import { VIDEO_SECONDS, type videos } from './demo.ts'
import { SeedError } from './session.ts'

export type Film = { path: string } & AsyncDisposable

/** Makes a short MP4 from ffmpeg's test sources, in a temporary folder that is deleted with it. */
export async function makeFilm({ picture, sound }: (typeof videos)[number]): Promise<Film> {
	const programs = await provideFfmpeg(process.env)
	if (!programs) throw new SeedError(ffmpegMissing)
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-seed-'))
	const remove = () => rm(folder, { recursive: true, force: true })
	const path = join(folder, 'film.mp4')
	const source = (text: string) => ['-f', 'lavfi', '-i', text]
	const encoding = [
		'-c:v',
		'libx264',
		'-preset',
		'ultrafast',
		'-pix_fmt',
		'yuv420p',
		'-c:a',
		'aac',
		'-shortest',
	]
	try {
		await execa(programs.ffmpeg, [
			...['-hide_banner', '-loglevel', 'error', '-nostdin'],
			...source(picture),
			...source(sound),
			...['-t', String(VIDEO_SECONDS), ...encoding, path],
		])
		return { path, [Symbol.asyncDispose]: remove }
	} catch (error) {
		await remove()
		throw new SeedError(`ffmpeg could not make a video: ${String((error as { stderr?: string }).stderr)}`)
	}
}
