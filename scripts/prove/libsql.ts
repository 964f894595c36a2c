import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Runs all tests of the Worker on libSQL. \`npm test\` leaves out those with the tag d1, whose statements others send.

  npm run prove:libsql -- [options]

  --help   show this help
`

const { values } = parseOptions({ options: { help: { type: 'boolean', short: 'h' } } })
if (values.help) console.log(help)
else await runLongTests({ project: 'edge-libsql', files: [], env: {} })
