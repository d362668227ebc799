// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

/// Creates forwarders at the deposit addresses of payments. It has no owner and holds nothing: anyone may call it.
contract Factory {
    error Locked();
    error OutOfGas();

    /// The token that is swept; zero for native coin.
    address public transient currency;
    /// Not a bool: a word of its own costs less.
    uint256 private transient _locked;

    /// Without so much gas an item may run dry while the transaction succeeds.
    uint256 private constant GAS_OF_ITEM = 200_000;

    /// Sweeps deposit addresses of one recipient. An item that fails leaves the others.
    function sweep(address token, address payable recipient, bytes32[] calldata salts) external returns (uint256 done) {
        // A token may call back.
        if (_locked != 0) revert Locked();
        _locked = 1;
        currency = token;
        bytes memory code = type(Forwarder).creationCode;
        uint256 size = code.length + 32;
        assembly ("memory-safe") {
            // The recipient is the argument behind the code.
            mstore(add(add(code, 32), mload(code)), recipient)
            mstore(0x40, add(mload(0x40), 32))
        }
        for (uint256 i = 0; i < salts.length; i++) {
            if (gasleft() <= GAS_OF_ITEM) revert OutOfGas();
            bytes32 salt = salts[i];
            assembly ("memory-safe") {
                done := add(done, iszero(iszero(create2(0, add(code, 32), size, salt))))
            }
        }
        _locked = 0;
    }
}
