import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { readFlags } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { buildSdk } from '../lib/sdk/build.ts'
import { buildCli } from '../lib/sdk/build-cli.ts'

readFlags(`Usage: cd sdk && npm pack

Builds the package of the SDK: the library and the command line in sdk/dist, and the license beside it.`)

await buildSdk(join(root, 'sdk', 'dist'))
await buildCli(join(root, 'sdk', 'dist', 'cli'))
await cp(join(root, 'LICENSE'), join(root, 'sdk', 'LICENSE'))
