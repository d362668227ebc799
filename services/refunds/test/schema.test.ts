import { expect, test } from "@jest/globals";
import { getConstraint } from "@pay/database";
import {
  describeWithPostgres,
  expectKeysOfProjects,
  expectNoDrift,
  testDatabase,
} from "@pay/testing";

describeWithPostgres("the database of refunds", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/refunds"));

  test("its keys begin with the project", () =>
    expectKeysOfProjects("services/refunds", {
      wallet_credits: "one number of one payment, read with the payment",
    }));

  test("counts refunds by status through inserts, moves, other updates and deletes", async () => {
    const { pool, drop } = await testDatabase("services/refunds");
    await pool.query(`
      insert into refund_balances (payment_id, project_id, mode, amount, received, payment_version, reserved, completed,
        surplus_reserved, surplus_completed, refunds)
      values ('pay_1', 'proj_1', 1, 100, 100, 1, 5, 0, 0, 0, 5);
      insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
        payment_base_amount, source_address, destination_address, surplus, declared, refunded_base_amount,
        surplus_refunded_base_amount, reserved_base_amount, created_at)
      select 'refund_' || n, 'proj_1', 1, 'pay_1', 'created', '1', 1, 18, 'native', 1, 100, '0x' || repeat('a1', 20),
        '0x' || repeat('b2', 20), false, false, 0, 0, 1, now() from generate_series(1, 5) as n;
      update refunds set status = 'failed', failure_reason = 'timeout' where id in ('refund_1', 'refund_2');
      update refunds set status = 'created', reason = 'late' where id = 'refund_3';
      delete from refunds where id in ('refund_2', 'refund_3')`);
    const { rows } = await pool.query(
      "select status, sum(refunds)::int as refunds from refund_totals group by status order by status",
    );
    expect(rows).toEqual([
      { status: "created", refunds: 2 },
      { status: "failed", refunds: 1 },
    ]);
    await drop();
  });

  test("rejects a refund of a payment of another project", async () => {
    const { pool, drop } = await testDatabase("services/refunds");
    await pool.query(`
      insert into refund_balances (payment_id, project_id, mode, amount, received, payment_version, reserved, completed,
        surplus_reserved, surplus_completed, refunds)
      values ('pay_1', 'proj_1', 1, 100, 100, 1, 0, 0, 0, 0, 0)`);
    const stolen = pool.query(`
      insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
        payment_base_amount, source_address, destination_address, surplus, declared, refunded_base_amount,
        surplus_refunded_base_amount, reserved_base_amount, created_at)
      values ('refund_1', 'proj_2', 1, 'pay_1', 'created', '1', 1, 18, 'native', 1, 100, '0x' || repeat('a1', 20),
        '0x' || repeat('b2', 20), false, false, 0, 0, 1, now())`);
    expect(await stolen.then(() => "stored", getConstraint)).toBe(
      "refunds_project_id_payment_id_fkey",
    );
    await drop();
  });

  test("rejects a reserved sum above the received amount and a release above the reserved sum", async () => {
    const { pool, drop } = await testDatabase("services/refunds");
    await pool.query(`insert into refund_balances
      (payment_id, project_id, mode, amount, received, payment_version, reserved, completed,
        surplus_reserved, surplus_completed, refunds)
      values ('pay_1', 'proj_1', 1, 100, 110, 1, 90, 40, 5, 5, 2)`);
    function change(sums: string) {
      return pool.query(`update refund_balances set ${sums}`).then(() => "done", getConstraint);
    }

    expect(await change("reserved = reserved + 21")).toBe("refund_balances_reserved_bounded");
    expect(await change("completed = completed + 51")).toBe("refund_balances_completed_bounded");
    expect(await change("reserved = reserved - 51")).toBe("refund_balances_completed_bounded");
    expect(await change("surplus_completed = surplus_completed + 1")).toBe(
      "refund_balances_surplus_bounded",
    );
    expect(await change("reserved = reserved + 20")).toBe("done");
    // A reorganisation lowers what is proven below the refunds; then only a release is possible.
    expect(await change("received = 50")).toBe("done");
    expect(await change("reserved = reserved + 1")).toBe("refund_balances_reserved_bounded");
    expect(await change("reserved = reserved - 10")).toBe("done");
    await drop();
  });
});
