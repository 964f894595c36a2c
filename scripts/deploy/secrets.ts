import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Given } from './plan.ts'

/**
 * Values for the secrets a deployment sets. What is made here is kept in a file that only its owner can read: a
 * Worker's secrets cannot be read back, and machines need FLEET_TOKEN. It is written before anything is sent, so
 * a deployment that fails in between sends the same values when it is run again.
 */
export async function chooseSecrets(
	file: string,
	made: string[],
	passedOn: string[],
	given: Given,
): Promise<Record<string, string>> {
	const kept = await readKept(file)
	const fresh = made
		.filter((name) => !kept[name])
		.map((name) => [name, randomBytes(36).toString('base64url')])
	if (fresh.length > 0) {
		const all = { ...kept, ...Object.fromEntries(fresh) }
		await mkdir(dirname(file), { recursive: true })
		await writeFile(
			file,
			Object.entries(all)
				.map(([name, value]) => `${name}=${value}\n`)
				.join(''),
			{ mode: 0o600 },
		)
		// The mode above is for a file that was not there before.
		await chmod(file, 0o600)
	}
	const values: [string, string | undefined][] = [
		...made.map((name): [string, string | undefined] => [name, kept[name]]),
		...(fresh as [string, string][]),
		...passedOn.map((name): [string, string | undefined] => [name, given[name]]),
	]
	return Object.fromEntries(values.filter((entry): entry is [string, string] => Boolean(entry[1])))
}

async function readKept(file: string): Promise<Record<string, string>> {
	const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return ''
		throw error
	})
	return Object.fromEntries([...text.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]))
}
