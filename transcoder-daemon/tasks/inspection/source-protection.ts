import type { ProbedStream } from '../../ffmpeg/probe.ts'
import type { SourceHead } from '../../source-heads/head-findings.ts'
import { SourceError } from '../task.ts'

/** Decoders read the headers of an encrypted file, and then output noise. */
export function rejectEncryption({ encryption }: SourceHead): void {
	if (encryption !== null) throw encryptedError(encryption)
}

/** Stream types of HLS with SAMPLE-AES in a transport stream: H.264, AAC, AC-3 and E-AC-3. */
const SAMPLE_AES = /^0x00(db|cf|c1|c2)$/
/** Recordings may contain a few scrambled packets; on discs, only some packets are scrambled. */
const MAX_SCRAMBLED = 0.25

/**
 * Rejects MPEG streams whose only video, or only audio, is encrypted. Other programs of a recording may be encrypted.
 */
export function rejectScrambling(
	{ scrambling }: SourceHead,
	{ streams, format }: { streams: readonly ProbedStream[]; format: { format_name: string } },
): void {
	if (!/^mpeg/.test(format.format_name)) return
	const isScrambled = (stream: ProbedStream) => {
		const share = scrambling.get(stream.id ?? '') ?? 0
		const isReadable = Boolean(stream.pix_fmt && stream.pix_fmt !== 'unknown') || stream.channels > 0
		return share > (isReadable ? MAX_SCRAMBLED : 0)
	}
	const isSampleAes = ({ codec_tag }: ProbedStream) => SAMPLE_AES.test(codec_tag ?? '')
	for (const kind of ['video', 'audio']) {
		const tracks = streams.filter(({ codec_type }) => codec_type === kind)
		if (tracks.length === 0 || !tracks.every((track) => isSampleAes(track) || isScrambled(track))) continue
		throw encryptedError(tracks.some(isSampleAes) ? 'SAMPLE-AES' : 'scrambled')
	}
}

const encryptedError = (scheme: string): SourceError =>
	new SourceError(`this file is encrypted${scheme && ` (${scheme})`}; upload an unprotected copy`)
