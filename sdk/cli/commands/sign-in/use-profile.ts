import { readProfile, selectProfile } from '../../files/profiles.ts'
import { NOT_FOUND } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'

export async function run({ args: [name], terminal }: Invocation<object, [string]>): Promise<void> {
	const profile = await readProfile(terminal.env, name)
	if (!profile)
		throw new CommandFailure(`the profile ${name} does not exist; see: playhouse profiles ls`, NOT_FOUND)
	await selectProfile(terminal.env, name)
	terminal.talk(`The current profile is ${name}, at ${profile.url}.`)
}
