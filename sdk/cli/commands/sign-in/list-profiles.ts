import { currentProfile, listProfiles, readProfile } from '../../files/profiles.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const current = options.profile ?? (await currentProfile(terminal.env))
	const records = await Promise.all(
		(await listProfiles(terminal.env)).map(async (name) => ({
			name,
			url: (await readProfile(terminal.env, name))?.url ?? null,
			current: name === current,
		})),
	)
	await printRecords(terminal, options, records, ['name', 'url', 'current'])
}
