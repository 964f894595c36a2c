import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'

type ProbedStream = {
	codec_type: string
	codec_name: string
	width: number
	height: number
	sample_rate: string
	channels: number
}

/** The streams, duration and size of a file, by ffprobe. */
export async function describeFile(path: string) {
	const { stdout } = await promisify(execFile)(programs.ffprobe, [
		...['-v', 'error', '-show_entries', 'stream=codec_type,codec_name,width,height,sample_rate,channels'],
		...['-show_entries', 'format=duration,size', '-of', 'json', path],
	])
	const { streams, format } = JSON.parse(stdout) as {
		streams: ProbedStream[]
		format: { duration: string; size: string }
	}
	const ofType = (type: string) => streams.filter(({ codec_type }) => codec_type === type)
	return {
		bytes: Number(format.size),
		seconds: Number(format.duration),
		pictures: ofType('video').map(({ codec_name, width, height }) => ({ codec: codec_name, width, height })),
		sounds: ofType('audio').map(({ codec_name, sample_rate, channels }) => ({
			codec: codec_name,
			sampleRate: Number(sample_rate),
			channels,
		})),
	}
}
