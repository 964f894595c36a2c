import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Delivers events to twenty webhook endpoints, of which ten are dead, while the Worker is killed at random times, the long
version of a test. Every working receiver must get every event, in order if it asked for that. A copy of the data made
from events must equal the database. Dead receivers must not double the delay of the others (95th percentile).

  npm run prove:webhooks -- [options]

  --events N   requests that create or delete an asset (default 20000)
  --kills N    times that the Worker is killed (default 50)
  --seed N     seed of the order (default 1)
  --help       show this help
`

const { values } = parseOptions({
	options: {
		events: { type: 'string', default: '20000' },
		kills: { type: 'string', default: '50' },
		seed: { type: 'string', default: '1' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (![values.events, values.kills, values.seed].every((text) => /^\d{1,6}$/.test(text))) {
	console.error('--events, --kills and --seed must be whole numbers; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		files: ['test/e2e/webhooks/deliveries.node.test.ts'],
		env: { WEBHOOK_EVENTS: values.events, WEBHOOK_KILLS: values.kills, WEBHOOK_SEED: values.seed },
	})
}
