import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { isCommonPassword } from './common-passwords.ts'
import { isMadeOfOwnWords } from './own-words.ts'

type NewPassword = {
	/** What the request calls it. */
	field: 'password' | 'newPassword'
	password: string
	owner: { email: string; name: string }
}

/** The one way to a password hash that is stored: refuses what is guessed first. */
export async function hashNewPassword(deps: Deps, { field, password, owner }: NewPassword): Promise<string> {
	if (await isCommonPassword(password))
		throw refusedPassword(field, 'is one of the most common passwords; choose another')
	if (isMadeOfOwnWords(password, owner))
		throw refusedPassword(field, 'is little more than your name or address; choose another')
	return deps.passwords.hash(password)
}

const refusedPassword = (field: string, why: string) =>
	new AppError('validation', `${field}: ${why}`, { fields: { [field]: [why] } })
