CREATE TABLE `checkpoints` (
	`number` integer PRIMARY KEY NOT NULL,
	`nonce` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rewind_repairs` (
	`id` text PRIMARY KEY NOT NULL,
	`checkpoint` integer NOT NULL,
	`step` text,
	`cursor` text,
	`counts` text NOT NULL,
	`started_at` integer NOT NULL,
	`opened_at` integer,
	`ended_at` integer,
	`lease_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rewind_repairs_unfinished` ON `rewind_repairs` (`started_at`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `rewind_repairs_started` ON `rewind_repairs` (`started_at`);