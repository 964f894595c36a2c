import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { readFlags } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { buildSdk } from '../lib/sdk/build.ts'

readFlags(`Usage: cd sdk && npm pack

Builds the package of the SDK: sdk/dist, and the license beside it.`)

await buildSdk(join(root, 'sdk', 'dist'))
await cp(join(root, 'LICENSE'), join(root, 'sdk', 'LICENSE'))
