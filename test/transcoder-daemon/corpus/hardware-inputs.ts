import { corpus } from '../../support/shared/corpus.ts'
import { type CorpusItem, item } from '../../support/shared/corpus-item.ts'

/** The corpus, with codecs and formats that differ between software and hardware. */
export const hardwareInputs: readonly CorpusItem[] = [
	...corpus,
	item('hevc', { picture: { encode: hevc('yuv420p'), info: { codec: 'hevc' } } }),
	item('hevc-ten-bit', {
		picture: {
			encode: hevc('yuv420p10le'),
			info: { codec: 'hevc', pixelFormat: 'yuv420p10le', bitDepth: 10 },
		},
	}),
	item('av1', {
		picture: {
			encode: ['-c:v', 'libsvtav1', '-preset', '10', '-crf', '20', '-g', '50', '-pix_fmt', 'yuv420p'],
			info: { codec: 'av1' },
		},
	}),
]

function hevc(pixelFormat: string): string[] {
	const quality = ['-preset', 'ultrafast', '-crf', '14', '-pix_fmt', pixelFormat]
	return ['-c:v', 'libx265', ...quality, '-x265-params', 'keyint=50:log-level=none']
}
