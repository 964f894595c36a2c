import type { ProbedStream } from '../../ffmpeg/probe.ts'

/** Formats by the names that ffmpeg, MP4 and Matroska use for them. */
const NAMES: readonly (readonly [code: RegExp, name: string])[] = [
	[/^(vvc1?|vvi1|h266)$|\/VVC$/i, 'VVC (H.266)'],
	[/^(evc1?)$|\/EVC$/i, 'EVC'],
	[/^(lvc1|lcevc)$/i, 'LCEVC'],
	[/^(apv1?)$/i, 'APV'],
	[/^(av02|av2)$/i, 'AV2'],
	[/^avs2$/i, 'AVS2'],
	[/^(avs3|av3a)$/i, 'AVS3'],
	[/^(aprn|aprh|prores_raw)$/i, 'ProRes RAW'],
	[/^(braw|brxq|brst|brvn|brhq)$/i, 'Blackmagic RAW'],
	[/^(iamf|A_IAMF)$/i, 'IAMF'],
	[/^(ac-?4|A_AC4)$/i, 'AC-4'],
	[/^(mha[12]|mhm[12]|mpegh_3d_audio)$/i, 'MPEG-H 3D Audio'],
	[/^(dtsx|dtsy)$/i, 'DTS:X'],
	[/^apac$/i, 'Apple Positional Audio'],
	[/^(usac|xhe-aac)$/i, 'xHE-AAC'],
]

/** Returns the display name of an undecodable format, or null if the file has no presentable one. */
export function formatName(stream: ProbedStream, codecId: string | undefined): string | null {
	const codec = stream.codec_name === 'unknown' ? null : stream.codec_name
	const codes = [codec, codecId, stream.codec_tag_string].filter(
		(code) => code !== null && code !== undefined,
	)
	for (const code of codes) {
		const name = NAMES.find(([pattern]) => pattern.test(code))?.[1]
		if (name) return name
	}
	// Untrusted text: allows only characters of real names.
	return codes.find((code) => /^[A-Za-z0-9][\w .-]{2,29}$/.test(code)) ?? null
}
