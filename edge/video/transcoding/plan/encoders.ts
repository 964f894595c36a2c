import type { VideoCodec } from '#schema/contract/video/tasks.ts'

/** Encoders that every machine can have. */
export const software: Readonly<Record<VideoCodec, string>> = {
	h264: 'libx264',
	hevc: 'libx265',
	av1: 'libsvtav1',
}

/** Hardware encoders in order of preference. */
const hardware: Readonly<Record<VideoCodec, readonly string[]>> = {
	h264: ['h264_nvenc', 'h264_qsv', 'h264_vaapi', 'h264_videotoolbox'],
	hevc: ['hevc_nvenc', 'hevc_qsv', 'hevc_vaapi', 'hevc_videotoolbox'],
	av1: ['av1_nvenc', 'av1_qsv', 'av1_vaapi'],
}

export const isSoftware = (encoder: string): boolean => Object.values(software).includes(encoder)

/** Chooses one encoder per codec for a whole job, since chunks of different encoders don't match. */
export function chooseEncoders(
	codecs: readonly VideoCodec[],
	machines: readonly { encoders: readonly string[] }[],
): Partial<Record<VideoCodec, string>> {
	const proved = new Set(machines.flatMap(({ encoders }) => encoders))
	return Object.fromEntries(
		codecs.map((codec) => [codec, hardware[codec].find((encoder) => proved.has(encoder)) ?? software[codec]]),
	)
}
