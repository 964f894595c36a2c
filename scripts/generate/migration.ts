import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { migrationsDirectory } from '../lib/migrations.ts'
import { root } from '../lib/root.ts'

// drizzle-kit compares the tables with the newest snapshot only. The older ones, of some 9,000 lines each, are deleted.
const { exitCode } = await execa('drizzle-kit', ['generate', ...process.argv.slice(2)], {
	cwd: root,
	preferLocal: true,
	reject: false,
	stdio: 'inherit',
})
const meta = join(migrationsDirectory, 'meta')
const snapshots = (await readdir(meta)).filter((name) => name.endsWith('_snapshot.json')).toSorted()
for (const name of snapshots.slice(0, -1)) await rm(join(meta, name))
process.exitCode = exitCode ?? 1
