import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Sends scripted playback sessions as native players do, over a network that loses, doubles, delays and reorders reports,
while the Worker is killed at random times, the long version of a test. At the end, it is killed once more when it had
time to write everything, and the analytics of every video must equal those of an oracle, number by number. What a kill
takes from the memory of the Worker is counted and printed: only reports of the last 20 seconds that the Worker had, never
an end that was acknowledged, and nothing if the player reports again.

  npm run prove:analytics -- [options]

  --sessions N   playback sessions (default 50000)
  --kills N      times that the Worker is killed while people watch (default 20)
  --seed N       seed of all choices (default 1)
  --help         show this help
`

const { values } = parseOptions({
	options: {
		sessions: { type: 'string', default: '50000' },
		kills: { type: 'string', default: '20' },
		seed: { type: 'string', default: '1' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (![values.sessions, values.kills, values.seed].every((text) => /^\d{1,6}$/.test(text))) {
	console.error('--sessions, --kills and --seed must be whole numbers; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		files: ['test/e2e/analytics/reports.node.test.ts'],
		env: {
			ANALYTICS_SESSIONS: values.sessions,
			ANALYTICS_KILLS: values.kills,
			ANALYTICS_SEED: values.seed,
		},
	})
}
