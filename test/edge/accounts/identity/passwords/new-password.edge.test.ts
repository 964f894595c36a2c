/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { changePassword, sendCode, signup, verifySignupCode } from '#schema/contract/accounts/identity.ts'
import { codeSentTo } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person({ email: 'ada.lovelace@example.org', name: 'Ada Lovelace' })
})

const common = ['password', '12345678', 'Password1', 'football1', 'tromboni']
const own = ['ada.lovelace', 'Lovelace1815', 'ada.lovelace@example.org', 'playhouse1']

test('a sign-up rejects a common password, and one derived from the user’s name or address', async () => {
	for (const [i, password] of [...common, 'grace.hopper', 'hopper1906'].entries()) {
		const body = { email: 'grace.hopper@example.org', password, name: 'Grace Hopper' }
		const refused = await world.ask(signup, { body }, { ip: `192.0.2.${i}` })
		expect([refused.status, refused.code], password).toEqual([400, 'validation'])
		expect(refused.error).toMatch(/^password: is .*; choose another one$/)
	}
})

test('a password change rejects common passwords, and keeps the old password and all sessions', async () => {
	const change = (newPassword: string) =>
		world.ask(changePassword, { body: { currentPassword: ada.password, newPassword } }, ada)
	for (const password of [...common, ...own]) {
		const refused = await change(password)
		expect([refused.status, refused.error], password).toEqual([
			400,
			expect.stringMatching(/^newPassword: is /),
		])
	}
	expect(await world.logIn(ada)).toEqual(expect.any(String))
	expect((await change('correct horse')).status).toBe(200)
})

test('a first password must follow the same rules as a changed one', async () => {
	const email = 'grace.hopper@example.org'
	await world.ask(sendCode, { body: { email } })
	const body = { email, code: codeSentTo(world, email), name: 'Grace Hopper' }
	const { token } = (await world.ask(verifySignupCode, { body })).ok.data
	const set = (newPassword: string) => world.ask(changePassword, { body: { newPassword } }, { token })
	expect((await set('iloveyou1')).status).toBe(400)
	expect((await set('Hopper1906')).status).toBe(400)
	expect((await set('nanoseconds in a jar')).status).toBe(200)
})

test('an account can still sign in with a common password that was set before the rule', async () => {
	const hash = await world.deps(({ passwords }) => passwords.hash('password1'))
	await world.deps(({ db }) =>
		db.all(`update users set password_hash = '${hash}' where id = ${ada.userId} returning id`),
	)
	expect(await world.logIn({ email: ada.email, password: 'password1' })).toEqual(expect.any(String))
})
