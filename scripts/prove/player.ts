import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Opens the player at random times of a video with ?t=, the long version of a test. The picture before the click, the first
frame after the click and the frame that ffmpeg finds at that time must be alike (SSIM above 0.95).

  npm run prove:player -- [options]

  --starts N   random times (default 50)
  --seed N     seed of the times (default 1)
  --help       show this help
`

const { values } = parseOptions({
	options: {
		starts: { type: 'string', default: '50' },
		seed: { type: 'string', default: '1' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (![values.starts, values.seed].every((text) => /^[1-9]\d{0,5}$/.test(text))) {
	console.error('--starts and --seed must be whole numbers; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		files: ['test/edge/web/player/playback/playback.node.test.ts'],
		options: ['-t', 'the player with'],
		env: { PLAYER_STARTS: values.starts, PLAYER_SEED: values.seed },
	})
}
