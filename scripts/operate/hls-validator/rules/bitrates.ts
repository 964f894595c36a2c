import { listIFrames, listVariants, type Presentation, type Variant } from '../presentation.ts'
import { measureAverage, measurePeak, measurePeakWithAudio, measureStreamAverage } from '../weight.ts'
import { type Broken, type Check, formatKbps, formatPercent } from './check.ts'

const TOLERANCE = 0.1

function* compare(
	variants: Variant[],
	attribute: string,
	measure: (variant: Variant & { stream: NonNullable<Variant['stream']> }) => number,
): Iterable<Broken> {
	for (const { listed, stream, where } of variants) {
		const declared = Number(listed.attributes.get(attribute) ?? Number.NaN)
		if (!stream || Number.isNaN(declared) || stream.segments.some(({ media }) => !media)) continue
		const measured = measure({ listed, stream, where })
		const off = Math.abs(measured / declared - 1)
		if (off > TOLERANCE)
			yield {
				where,
				message: `${attribute} is ${formatKbps(declared)}, but the measured rate is ${formatKbps(measured)}: ${formatPercent(off)} off`,
			}
	}
}

const both = (p: Presentation) => [...listVariants(p), ...listIFrames(p)]
const isIFrames = ({ role }: { role: string }) => role === 'iframes'

export const bitrateChecks: Check[] = [
	{
		rule: 9,
		section: '1.26',
		level: 'MUST',
		text: 'The measured average is within 10 % of AVERAGE-BANDWIDTH.',
		find: (p) =>
			compare(both(p), 'AVERAGE-BANDWIDTH', ({ listed, stream }) =>
				isIFrames(stream) ? measureStreamAverage(stream) : measureAverage(p, listed, stream),
			),
	},
	{
		rule: 10,
		section: '1.27',
		level: 'MUST',
		text: 'The measured peak, with the largest audio rendition, is within 10 % of BANDWIDTH.',
		find: (p) =>
			compare(both(p), 'BANDWIDTH', ({ listed, stream }) =>
				isIFrames(stream) ? measurePeak(stream) : measurePeakWithAudio(p, listed, stream),
			),
	},
	{
		rule: 11,
		section: '1.30',
		level: 'SHOULD',
		text: 'The peak is at most twice the average.',
		remark:
			'Constant quality with a cap spends fewer bits on simple scenes, which lowers the average but not the peak.',
		*find(p) {
			for (const { listed, stream, where } of listVariants(p)) {
				if (!stream) continue
				const ratio = measurePeakWithAudio(p, listed, stream) / measureAverage(p, listed, stream)
				if (ratio > 2) yield { where, message: `the peak is ${ratio.toFixed(2)} times the average` }
			}
		},
	},
]
