import { expect, test } from 'vitest'
import { planJob } from '../../../../../edge/video/transcoding/plan/plan.ts'
import { findResultProblem } from '../../../../../edge/video/transcoding/plan/result-problem.ts'
import { describeOptions, describeSource } from '../../../../support/shared/described-source.ts'
import { makePerfectOutputs } from '../presentation/perfect-outputs.ts'

test('a result has the requested number of peaks, or none from a daemon that measures none', () => {
	const source = describeSource(60, null, [{ codec: 'mp3' }])
	const spec = planJob(source, describeOptions()).tasks[0]?.spec
	const result = makePerfectOutputs(source).outputs[0]?.result
	if (spec?.kind !== 'audio' || result?.kind !== 'audio') throw new Error('the first task makes the audio')
	const { peaks: _, ...without } = result
	expect(findResultProblem(spec, result)).toBeNull()
	expect(findResultProblem(spec, without)).toBeNull()
	expect(findResultProblem(spec, { ...result, peaks: btoa('a') })).toBe('expected 400 peaks')
	const { peaks: __, ...plain } = spec
	expect(findResultProblem(plain, result)).toBe('expected 0 peaks')
})
