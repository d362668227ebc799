// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Says of each wallet whether its caller has named it.
contract Oracle {
    mapping(address => bool) public isSanctioned;

    fallback() external {
        isSanctioned[abi.decode(msg.data, (address))] = true;
    }
}
