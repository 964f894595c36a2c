import type { Choice } from './refusals.ts'

/**
 * The page behind the small links of an invitation. It needs no script and no session, and nothing of it was typed in
 * by anybody. Its form goes to the address of the page, where the token is.
 */
const layOut = (title: string, lead: string, buttons: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Playhouse</title>
<link rel="icon" href="/landing/playhouse.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shared/base.css">
<link rel="stylesheet" href="/shared/card.css">
</head>
<body>
<main>
<a class="home" href="/"><img src="/landing/playhouse.svg" alt="" width="32" height="32">Playhouse</a>
<div class="card">
<h1>${title}</h1>
<p class="lead">${lead}</p>
<form method="post" class="step stack">
${buttons}
</form>
</div>
</main>
</body>
</html>
`

const button = (choice: Choice, label: string) =>
	`<button type="submit" name="choice" value="${choice}">${label}</button>`

const refuse = button('refuse', 'No more invitations')
const report = button('report', 'Report the invitation')

export const choicePage = (isReport: boolean): string =>
	isReport
		? layOut(
				'Report this invitation?',
				'The invitation ends, your address gets no more invitations from anybody, and whoever sent it may send fewer. Opening this page has changed nothing.',
				report,
			)
		: layOut(
				'No more invitations?',
				'Nobody will be able to send invitations to your address through Playhouse. Codes and notices of your own account still arrive. Opening this page has changed nothing.',
				`${refuse}\n${report}`,
			)

const undo = button('allow', 'Take invitations again')

export function donePage(choice: Choice): string {
	if (choice === 'allow')
		return layOut('Invitations may reach you again', 'You can change your mind here at any time.', refuse)
	if (choice === 'report')
		return layOut('Thank you', 'The invitation has ended, and your address gets no more of them.', undo)
	return layOut('Done', 'Your address gets no more invitations.', undo)
}
