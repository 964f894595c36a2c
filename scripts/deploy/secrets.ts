import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DeployVariables } from './plan.ts'

/**
 * Returns the values of the secrets to set. Generated ones are saved in a file that only its owner can read, because
 * Cloudflare does not show them again and machines need FLEET_TOKEN. The file is written before anything is sent, so
 * a repeated run sends the same values.
 */
export async function chooseSecrets(
	file: string,
	toGenerate: string[],
	passedOn: string[],
	variables: DeployVariables,
): Promise<Record<string, string>> {
	const saved = await readSaved(file)
	const generated = toGenerate
		.filter((name) => !saved[name])
		.map((name) => [name, randomBytes(36).toString('base64url')])
	if (generated.length > 0) {
		const all = { ...saved, ...Object.fromEntries(generated) }
		await mkdir(dirname(file), { recursive: true })
		await writeFile(
			file,
			Object.entries(all)
				.map(([name, value]) => `${name}=${value}\n`)
				.join(''),
			{ mode: 0o600 },
		)
		// `mode` above applies to new files only.
		await chmod(file, 0o600)
	}
	const values: [string, string | undefined][] = [
		...toGenerate.map((name): [string, string | undefined] => [name, saved[name]]),
		...(generated as [string, string][]),
		...passedOn.map((name): [string, string | undefined] => [name, variables[name]]),
	]
	return Object.fromEntries(values.filter((entry): entry is [string, string] => Boolean(entry[1])))
}

async function readSaved(file: string): Promise<Record<string, string>> {
	const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return ''
		throw error
	})
	return Object.fromEntries([...text.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]))
}
