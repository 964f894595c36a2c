import { expect, test } from 'vitest'
import { printStatus } from '../../transcoder-daemon/status.ts'

const capabilities = {
	...{ kind: 'cpu' as const, cores: 2, memoryBytes: 4 * 1024 ** 3, ffmpegVersion: '5.1.9' },
	...{ encoders: [], slots: 1 },
}
const findings = { capabilities, trials: [], decoderTrials: [], devices: {}, gaps: [] }
const linesOf = (speech: Pick<Parameters<typeof printStatus>[1], 'speech' | 'speechTrials'>) =>
	printStatus('north', { ...findings, ...speech }).split('\n')

test('--status names the speech engine with its real-time factor, and why those before it failed', () => {
	const lines = linesOf({
		speech: { engine: 'ffmpeg-whisper', languages: ['en'], realTimeFactor: 0.42 },
		speechTrials: [
			{ engine: 'whisper-cli', proved: false, ms: 300, reason: 'whisper-cli ended with status 1: bad model' },
			{ engine: 'ffmpeg-whisper', proved: true, ms: 2_350, reason: null },
		],
	})
	expect(lines).toContain('  fails  whisper-cli        whisper-cli ended with status 1: bad model')
	expect(lines).toContain('  works  ffmpeg-whisper     2350 ms')
	expect(lines).toContain('  languages en; 0.42 s of work for a second of speech')
})

test('--status prints what to install where no speech engine was found', () => {
	expect(linesOf({ speech: null, speechTrials: [] }).join('\n')).toContain('none; set PLAYHOUSE_ASR_COMMAND')
})

test('--status prints why hardware decoding was not tried, and what the sandbox lacks', () => {
	const gaps = ['bwrap: it is not installed: programs can read what the daemon can']
	const text = printStatus('north', { ...findings, gaps, speech: null, speechTrials: [] })
	expect(text).toContain('sandbox\n  without bwrap: it is not installed')
	expect(text).toContain('hardware decoding\n  not tried, because none fits an encoder that works\n')
	expect(linesOf({ speech: null, speechTrials: [] }).join('\n')).toContain('sandbox\n  complete\n')
})
