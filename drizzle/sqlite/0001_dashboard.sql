CREATE TABLE `audit_log` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text,
	`act` text NOT NULL,
	`user_id` text,
	`email` text NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_at` ON `audit_log` (`at`);--> statement-breakpoint
CREATE INDEX `audit_log_user` ON `audit_log` (`user_id`,`at`);--> statement-breakpoint
CREATE TABLE `departed_usage` (
	`email_hash` text NOT NULL,
	`month` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`email_hash`, `month`)
);
--> statement-breakpoint
CREATE TABLE `playground_usage` (
	`user_id` text NOT NULL,
	`day` text NOT NULL,
	`answers` integer NOT NULL,
	`cache_hits` integer NOT NULL,
	`failures` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tickets` (
	`hash` text PRIMARY KEY NOT NULL,
	`payload` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `tickets_expiry` ON `tickets` (`expires_at`);--> statement-breakpoint
ALTER TABLE `identities` ADD `email` text NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `account` text NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `id` text NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `user_agent` text NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_seen_at` integer NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id` ON `sessions` (`id`);--> statement-breakpoint
ALTER TABLE `users` ADD `name` text;--> statement-breakpoint
ALTER TABLE `users` ADD `suspended_at` integer;