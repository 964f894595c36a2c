import { beforeEach, expect, test } from 'vitest'
import { login } from '#schema/contract/accounts/identity.ts'
import { deletePasskey, listPasskeys } from '#schema/contract/accounts/sign-in/passkeys.ts'
import {
	removeTotp,
	replaceRecoveryCodes,
	resetSecondFactor,
} from '#schema/contract/accounts/sign-in/second-factor.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { startDevice } from '../../../accounts/device-flow/device.ts'
import { addPasskey } from '../../../accounts/identity/passkeys/software-authenticator.ts'
import { setUpApp } from '../../../accounts/identity/second-factor/authenticator-app.ts'
import { openRestoredWorld, type RestoredWorld } from './restored-world.ts'

let world: RestoredWorld
let root: Person
beforeEach(async () => {
	world = await openRestoredWorld()
	root = await world.person()
})

const statusOf = async ({ email, password }: Person) =>
	(await world.ask(login, { body: { email, password } })).code ?? 'signed in'

async function repair(restore: () => Promise<void>): Promise<void> {
	await restore()
	world.restart()
	expect((await world.ask(login, { body: { email: root.email, password: root.password } })).status).toBe(503)
	await world.minute()
}

test('a repair removes factors again that their owners removed or an operator reset', async () => {
	const [ada, bob, eve] = [await world.person(), await world.person(), await world.person()]
	await setUpApp(world, ada)
	await addPasskey(world, bob, 'Lost key')
	await addPasskey(world, bob, 'Laptop')
	await setUpApp(world, eve)
	await addPasskey(world, eve)
	const kept = await world.person()
	await setUpApp(world, kept)
	const restore = await world.backUp()
	await world.minute()

	await world.ask(removeTotp, {}, ada)
	const keys = (await world.ask(listPasskeys, {}, bob)).ok.data
	const lost = keys.find(({ name }) => name === 'Lost key')
	await world.ask(deletePasskey, { params: { passkeyId: lost?.id ?? '' } }, bob)
	await world.ask(resetSecondFactor, { params: { userId: String(eve.userId) } }, root)
	await repair(restore)

	expect(await world.rows('select name from passkeys')).toEqual([{ name: 'Laptop' }])
	expect(await world.rows('select user_id as id from totp_secrets')).toEqual([{ id: kept.userId }])
	expect(await Promise.all([ada, bob, eve, kept].map(statusOf))).toEqual([
		'signed in',
		'second_factor_required',
		'signed in',
		'second_factor_required',
	])
	const withCodes = await world.rows<{ id: number }>('select distinct user_id as id from recovery_codes')
	expect(withCodes.map(({ id }) => id).toSorted()).toEqual([bob.userId, kept.userId].toSorted())
})

test('a repair ends recovery codes that were replaced, and requests of devices', async () => {
	await setUpApp(world, root)
	await startDevice(world)
	const restore = await world.backUp()
	await world.minute()
	await world.ask(replaceRecoveryCodes, {}, root)
	await repair(restore)
	expect(await world.rows('select * from recovery_codes')).toEqual([])
	expect(await world.rows('select * from device_requests')).toEqual([])
	expect(await statusOf(root)).toBe('second_factor_required')
})
