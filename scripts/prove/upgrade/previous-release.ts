import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { migrationsDirectory } from '../../lib/migrations.ts'
import { root } from '../../lib/root.ts'

const inherited = { stdio: 'inherit' } as const

/** Returns the last release that this commit contains; before the first one, the commit before the second migration. */
export async function findLastRelease(): Promise<string> {
	const tag = await execa('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], {
		cwd: root,
		reject: false,
	})
	if (!tag.failed) return tag.stdout.trim()
	const files = (await readdir(migrationsDirectory)).filter((name) => name.endsWith('.sql'))
	const second = files.toSorted()[1]
	if (!second) return 'HEAD'
	const path = join(migrationsDirectory, second)
	const { stdout } = await execa('git', ['log', '-1', '--diff-filter=A', '--format=%H', '--', path], {
		cwd: root,
	})
	return stdout ? `${stdout.trim()}~1` : 'HEAD'
}

/** Checks a release out into `folder`, with the migrations of this commit in place of its own. */
export async function checkOutWithNewSchema(release: string, folder: string): Promise<AsyncDisposable> {
	await execa('git', ['worktree', 'add', '--detach', '--quiet', folder, release], { cwd: root, ...inherited })
	const remove = async () => {
		await execa('git', ['worktree', 'remove', '--force', folder], { cwd: root })
	}
	try {
		await installPackages(folder)
		const migrations = join(folder, 'schema', 'migrations')
		await rm(migrations, { recursive: true })
		await cp(migrationsDirectory, migrations, { recursive: true })
		return { [Symbol.asyncDispose]: remove }
	} catch (error) {
		await remove()
		throw error
	}
}

/** Packages of the same versions are shared, because installing them takes minutes. */
async function installPackages(folder: string): Promise<void> {
	const lockOf = (tree: string) => readFile(join(tree, 'package-lock.json'), 'utf8')
	if ((await lockOf(folder)) === (await lockOf(root)))
		await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
	else await execa('npm', ['ci', '--no-fund', '--no-audit'], { cwd: folder, ...inherited })
}

/** Appends a migration, to see the proof fail. */
export async function plantMigration(folder: string, sql: string): Promise<void> {
	const migrations = join(folder, 'schema', 'migrations')
	const file = join(migrations, 'meta', '_journal.json')
	const journal: { entries: { idx: number; tag: string }[] } = JSON.parse(await readFile(file, 'utf8'))
	const idx = Math.max(...journal.entries.map((entry) => entry.idx)) + 1
	const tag = `${String(idx).padStart(4, '0')}_planted`
	await writeFile(join(migrations, `${tag}.sql`), sql)
	await writeFile(file, JSON.stringify({ ...journal, entries: [...journal.entries, { idx, tag }] }))
}

/** Runs tests of the release and returns whether all passed. */
export async function runTests(
	folder: string,
	paths: readonly string[],
	env: Record<string, string>,
): Promise<boolean> {
	const args = ['scripts/bootstrap.mjs', 'test', '--project', 'node', ...paths]
	const { exitCode } = await execa('node', args, { cwd: folder, env, reject: false, ...inherited })
	return exitCode === 0
}
