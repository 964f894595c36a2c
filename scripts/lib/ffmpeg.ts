import { findPrograms, type Programs } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { installDebianPackage } from './debian.ts'

export const ffmpegMissing =
	'ffmpeg is missing: install it with its ffprobe (apt install ffmpeg, brew install ffmpeg), or set FFMPEG_PATH'

/** Finds ffmpeg, or installs it if possible. */
export async function provideFfmpeg(env: NodeJS.ProcessEnv): Promise<Programs | undefined> {
	const found = await findPrograms(env)
	if (found) return found
	return (await installDebianPackage('ffmpeg', 'transcode videos', env)) ? findPrograms(env) : undefined
}
